import { effects, errorCatalogue, type Effect, type ErrorCode } from '../errors.js';
import { Fault } from './fault.js';
import { Described, Field, Optional, choice, inline, integer, list, text } from './fields/field.js';

@Described('RFC 9457 problem details.')
export class Problem {
  @Field(text('Identifies the kind of problem.', 'urn:svc:error:invalid')) type!: string;
  @Field(text('The kind of problem, in words.')) title!: string;
  @Field(integer('HTTP status.', 422)) status!: number;
  @Field(text('What is wrong with this request.')) detail!: string;
  @Field(choice(Object.keys(errorCatalogue) as ErrorCode[], 'Stable identifier of the kind of problem.'))
  code!: ErrorCode;
  @Optional(choice(effects, 'What is known about the physical effect of the request.')) effect?: Effect;
  @Optional(
    list(
      inline(Fault, {
        path: text('Path inside the body, or `?name` in the query.', 'parameters.mix_colors'),
        code: text('Rule that is broken.', 'unknown_field'),
      }),
    ),
  )
  errors?: Fault[];
  @Optional(text("Stack of the author's code that failed. It has paths inside the package only."))
  author_stack?: string;
  @Optional(text('Path of the request.', '/api/protocols')) instance?: string;
}
