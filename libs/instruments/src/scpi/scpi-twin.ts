import { TextTwin, type TextTwinOptions } from '../commands/index.js';

/** The identity of a twin. */
const twinIdentity = 'TWIN,SIMULATED,0,1.0';

/**
 * The twin of an instrument with SCPI: the commands of its functions, those that IEEE 488.2 makes common to all (`*IDN?`, `*OPC?`,
 * `*RST`, `*CLS`, `*STB?`, `*ESR?`), and an error queue.
 */
export function scpiTwin(
  options: Omit<TextTwinOptions, 'common' | 'unknown'>,
  names: { identity: string | undefined; errorQueue: string | undefined },
): TextTwin {
  const errors: string[] = [];
  const { answers } = options;
  return new TextTwin({
    ...options,
    common(command) {
      if (Object.hasOwn(answers, command)) return undefined;
      if (command === names.errorQueue) return errors.shift() ?? '+0,"No error"';
      if (command === names.identity || command === '*IDN?') return twinIdentity;
      switch (command) {
        case '*OPC?':
          return '1';
        case '*STB?':
        case '*ESR?':
          return '0';
        case '*CLS':
          errors.length = 0;
          return null;
        case '*RST':
        case '*OPC':
        case '*WAI':
          return null;
        default:
          return undefined;
      }
    },
    unknown(command) {
      errors.push(`-113,"Undefined header;${command.replaceAll('"', '')}"`);
    },
  });
}
