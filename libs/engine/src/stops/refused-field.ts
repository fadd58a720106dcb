import { ServiceError } from '@lab/contracts';

/** The refusal of a request because of one field. @param hint what to write instead */
export function refusedField(path: string, code: string, message: string, hint: string): ServiceError {
  return new ServiceError('invalid', `The request is refused: "${path}" ${message}.`, {
    faults: [{ path, code, message, hint }],
  });
}
