export { steadyClock, systemClock, systemIds, systemTimers, uuidV7Source } from './clock.js';
export { inRounds, type RoundPlan, type RoundPorts } from './rounds.js';
