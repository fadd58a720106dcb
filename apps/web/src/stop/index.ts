export { EmergencyStop, useScopeText } from './emergency-stop.js';
