import './other-systems/madsci.js';
import './other-systems/eos.js';
import './other-systems/stack.js';
