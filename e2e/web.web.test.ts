/** Tests of the page about people, devices and computers in a real browser, over the real service, in this order. */
import './web/sessions.js';
import './web/access.js';
import './web/shell.js';
import './web/attention.js';
import './web/claims.js';
import './web/devices.js';
import './web/computers.js';
import './web/own-lab.js';
import './web/attacks.js';
