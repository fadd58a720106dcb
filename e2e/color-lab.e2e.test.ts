/** Tests that share one stack, in this order. */
import './color-lab/health-and-metrics.js';
import './color-lab/color-mixing.js';
