/** Tests that share one stack, in this order. */
import './faulty-lab/functions.js';
import './faulty-lab/cancel.js';
import './faulty-lab/writes.js';
import './faulty-lab/optimizer-workers.js';
import './faulty-lab/attention.js';
