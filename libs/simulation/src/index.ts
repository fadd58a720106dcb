export { type Drawn, ganttSvg, ganttText } from './charts/index.js';
export { type CurrentState, estimate, requirePlayable, whatIf } from './forecasts/index.js';
export type { SimulationPorts } from './laboratory/index.js';
export {
  defaultMaxTasks,
  type CampaignRules,
  type PlayedCampaign,
  type PlayedRun,
  playCampaign,
  simulate,
} from './scenarios/index.js';
