import { apiVersion, apiVersionHeader, requestIdHeader } from '@lab/contracts';

/** What is said of the interface as a whole, in Markdown. */
export const interfaceDescription = `Runs protocols, campaigns and tasks on real instruments.

**Errors.** Every error is a problem document (RFC 9457) with a stable \`code\`. Errors of requests that act say what is
known of their physical \`effect\`: only with \`none\` may a machine send the request again.

**Names of requests.** Every answer names its request in \`${requestIdHeader}\`, under which the logs of the service have it. A
client may choose the name in the same header: 8 to 64 letters, digits, \`-\`, \`_\` or \`.\`; what is none gets another one.

**Versions.** This is version ${apiVersion}; every answer names the version in \`${apiVersionHeader}\`. Within a version
paths, fields, codes and states are added, never taken away or given another meaning: clients ignore fields, and treat
states and codes, that they do not know. Whatever is to go is deprecated first: it is marked here, and its answers have the
headers \`Deprecation\` (RFC 9745), with the moment since when, and \`Sunset\` (RFC 8594), with the moment from which it
may be gone, at least 12 months later. A version that takes something away has another number and paths of its own, and the
one before it is served for those 12 months.`;

/** The groups of operations, in the order in which they are shown. */
export const tags: Record<string, string> = {
  'Protocol runs': 'One execution of a protocol: a directed acyclic graph of tasks.',
  Campaigns: 'A protocol many times, with parameters that are given or that an optimizer proposes.',
  Tasks: 'A step of work, inside a protocol run or on demand.',
  Files: 'What tasks produced: single files, and all of a task or a protocol run as one archive.',
  Simulation: 'What would become of work, played through on a virtual clock.',
  Devices: 'Instruments, and the functions they have.',
  Resources: 'What tasks take and leave: beakers, plates, samples.',
  Definitions: 'Laboratories, device types, task types and protocols, and the packages they come from.',
  Operating: 'Queue, schedule, emergency stops, and what only a person can settle.',
  Events: 'What happens to every record, as it happens and afterwards.',
  Logs: 'What the code of tasks and devices wrote.',
  Computers: 'The computers of the laboratory: invitations to join, agents that joined, and their packages.',
  Webhooks: 'Events that are sent to where you want them, signed and at least once.',
  Access: 'Tokens, what they allow, and the audit of what was done.',
  Service: 'The service itself.',
};
