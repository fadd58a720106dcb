/** Rollouts: updates of the agents of many computers, ring by ring. */

export { Rollouts, type RolloutAsked } from './rollouts.js';
