/** Against servers of other libraries. One file, because they need one environment of Python. */
import './suites/client.js';
import './suites/discovery.js';
import './suites/trust.js';
import './suites/device.js';
import './suites/locks.js';
