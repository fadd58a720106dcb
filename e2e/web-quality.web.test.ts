/** Tests of every view for everybody, over a service of their own. Beside the other files, because they take as long as each of these. */
import './web/quality.js';
