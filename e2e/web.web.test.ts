/** Tests of the page in a real browser, over the real service, in this order. */
import './web/sessions.js';
import './web/access.js';
import './web/shell.js';
import './web/attention.js';
import './web/claims.js';
import './web/devices.js';
import './web/computers.js';
import './web/work.js';
import './web/submit.js';
import './web/schedule.js';
import './web/queue.js';
import './web/resources.js';
import './web/bench.js';
import './web/own-lab.js';
import './web/quality.js';
import './web/attacks.js';
