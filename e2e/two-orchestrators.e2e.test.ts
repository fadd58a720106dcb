/** Tests that share one stack, in this order. */
import './two-orchestrators/failover.js';
import './two-orchestrators/optimizer-faults.js';
