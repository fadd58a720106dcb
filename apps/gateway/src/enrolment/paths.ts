/** Path below which computers join, and connect to the broker. It is no part of the REST interface for people. */
export const agentsPath = '/agents';
