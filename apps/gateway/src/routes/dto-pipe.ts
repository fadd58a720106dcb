import type { PipeTransform } from '@nestjs/common';
import { dtoSchema, ServiceError, type Schema } from '@lab/contracts';

/** Checks a body against a submission class: unknown fields are faults, and all faults are listed at once. */
export class DtoPipe<T extends object> implements PipeTransform<unknown, T> {
  private readonly schema: Schema<T>;

  /** @param absent stands for an empty body; undefined: a body is needed */
  constructor(
    dto: new () => T,
    private readonly absent?: object,
  ) {
    this.schema = dtoSchema(dto);
  }

  /** For a body none of whose fields is needed: it may be left out. */
  static orNothing<T extends object>(dto: new () => T): DtoPipe<T> {
    return new DtoPipe(dto, {});
  }

  /** @throws ServiceError `invalid` with every fault and its path */
  transform(body: unknown): T {
    const checked = this.schema.check(body ?? this.absent);
    if (checked.ok) return checked.value;
    const count = checked.faults.length;
    throw new ServiceError(
      'invalid',
      count === 1 ? 'One thing is wrong with the body.' : `${count} things are wrong with the body.`,
      {
        faults: checked.faults,
      },
    );
  }
}
