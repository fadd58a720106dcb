import { describe, expectTypeOf, it } from 'vitest';
import {
  BaseDevice,
  BaseTask,
  effect,
  type Handle,
  type InputFile,
  type JsonObject,
  type Resource,
  type TaskResult,
  type ParameterDeclarations,
} from '../../src/index.js';
import type { ArgumentsOf, OnlyNamesOf } from '../../src/author/function-parameters.js';

class Pump extends BaseDevice<{ port: string }> {
  _initialize({ port }: { port: string }): void {
    this.log.info(port);
  }
  _cleanup(): void {
    this.secret();
  }
  _report(): { flow: number } {
    return { flow: this.flow };
  }
  flow = 0;
  dose({ volume, fast }: { volume: number; fast?: boolean }): { dosed: number } {
    return { dosed: fast === true ? volume : 0 };
  }
  async prime(): Promise<void> {
    await Promise.resolve();
  }
  purge(_options?: { cycles: number }): string {
    return 'purged';
  }
  twoArguments(a: number, b: number): number {
    return a + b;
  }
  text(value: string): string {
    return value;
  }
  _hidden(): void {
    this.flow = 1;
  }
  private secret(): void {
    this.flow = 0;
  }
}

class Fill extends BaseTask<{ pump: Pump }, { volume: number }, { beaker: Resource<{ volume: number }> }> {
  async _execute(
    devices: this['devices'],
    { volume }: { volume: number },
    { beaker }: this['resources'],
  ): Promise<TaskResult<{ dosed: number }>> {
    const { dosed } = await devices.pump.dose({ volume });
    beaker.meta.volume += dosed;
    return [{ dosed }, { beaker }, { 'note.txt': 'done' }];
  }
}

describe('the handle of a device', () => {
  it('has the functions that take nothing or one object, and the name and lab of the device', () => {
    expectTypeOf<keyof Handle<Pump>>().toEqualTypeOf<'dose' | 'prime' | 'purge' | 'name' | 'lab'>();
  });

  it('returns a promise from every function, also from one that is not async', () => {
    expectTypeOf<Handle<Pump>['dose']>().toEqualTypeOf<
      (parameters: { volume: number; fast?: boolean }) => Promise<{ dosed: number }>
    >();
    expectTypeOf<Handle<Pump>['prime']>().toEqualTypeOf<() => Promise<void>>();
    expectTypeOf<Handle<Pump>['purge']>().toEqualTypeOf<(options?: { cycles: number }) => Promise<string>>();
  });

  it('refuses wrong parameters and unknown functions', () => {
    expectTypeOf<Handle<Pump>['dose']>().parameter(0).not.toExtend<{ volume: string }>();
    expectTypeOf<Handle<Pump>>().not.toHaveProperty('_initialize');
    expectTypeOf<Handle<Pump>>().not.toHaveProperty('secret');
    expectTypeOf<Handle<Pump>>().not.toHaveProperty('log');
  });
});

describe('a task', () => {
  it('knows its devices, parameters and resources by type', () => {
    expectTypeOf<Fill['devices']['pump']>().toEqualTypeOf<Handle<Pump>>();
    expectTypeOf<Fill['parameters']>().toEqualTypeOf<{ volume: number }>();
    expectTypeOf<Fill['resources']['beaker']['meta']>().toEqualTypeOf<{ volume: number }>();
  });

  it('needs no types for devices, parameters and resources that it does not have', () => {
    class Nothing extends BaseTask {
      _execute(): TaskResult {
        return [{}, {}, {}];
      }
    }
    expectTypeOf<Nothing['parameters']>().toEqualTypeOf<JsonObject>();
    expectTypeOf<keyof Nothing['devices']>().toEqualTypeOf<never>();
  });

  it('knows its input files, and which are optional', () => {
    class Read extends BaseTask<
      Record<never, never>,
      JsonObject,
      Record<string, Resource>,
      { raw: InputFile; log?: InputFile }
    > {
      _execute(): TaskResult {
        return [{}, {}, { 'again.csv': this.files.raw }];
      }
    }
    expectTypeOf<Read['files']['raw']>().toEqualTypeOf<InputFile>();
    expectTypeOf<Read['files']['log']>().toEqualTypeOf<InputFile | undefined>();
    expectTypeOf<keyof Fill['files']>().toEqualTypeOf<never>();
  });

  it('returns exactly three values', () => {
    expectTypeOf<[object, Record<string, never>]>().not.toExtend<TaskResult>();
    expectTypeOf<[{ a: number }, Record<string, never>, { f: Buffer }]>().toExtend<TaskResult>();
    expectTypeOf<[{ a: number }, Record<string, never>, { f: number }]>().not.toExtend<TaskResult>();
  });
});

/** The types that the compiler derives from a decorator with these declarations on the method. */
type Fits<Specs extends ParameterDeclarations, Method> = Method extends (
  this: never,
  parameters: ArgumentsOf<Specs>,
) => unknown
  ? unknown extends OnlyNamesOf<Specs, Method>
    ? true
    : 'declares what the method does not take'
  : 'lets through what the method does not take';

type Volume = Readonly<Record<'volume', { type: 'float'; unit: 'ml' }>>;

describe('declared parameters', () => {
  it('fit a method that takes exactly them', () => {
    expectTypeOf<Fits<Volume, (_: { volume: number }) => void>>().toEqualTypeOf<true>();
    expectTypeOf<Fits<Record<never, never>, () => void>>().toEqualTypeOf<true>();
    type Others = {
      mode: { type: 'choice'; choices: readonly ['a', 'b'] };
      curve: { type: 'list'; element_type: 'float' };
      fast: { type: 'bool'; value: false };
      shape: { type: 'dict'; optional: true };
    };
    type Method = (_: {
      mode: 'a' | 'b';
      curve: number[];
      fast?: boolean;
      shape?: { width: number };
    }) => void;
    expectTypeOf<Fits<Others, Method>>().toEqualTypeOf<true>();
  });

  it('do not fit a method with more parameters, another type, or a required parameter that is optional', () => {
    type Refused = 'lets through what the method does not take';
    type Needs = (_: { volume: number; fast: boolean }) => void;
    expectTypeOf<Fits<Volume, Needs>>().toEqualTypeOf<Refused>();
    expectTypeOf<Fits<Volume, (_: { volume: string }) => void>>().toEqualTypeOf<Refused>();
    type LeftOut = { volume: { type: 'float'; unit: 'ml'; optional: true } };
    expectTypeOf<Fits<LeftOut, (_: { volume: number }) => void>>().toEqualTypeOf<Refused>();
  });

  it('do not fit a method that does not take them', () => {
    type Refused = 'declares what the method does not take';
    type Both = { volume: Volume['volume']; fast: { type: 'bool' } };
    expectTypeOf<Fits<Both, (_: { volume: number }) => void>>().toEqualTypeOf<Refused>();
    expectTypeOf<Fits<Volume, (_: { volum?: number }) => void>>().not.toEqualTypeOf<true>();
    expectTypeOf<Fits<Volume, () => void>>().toEqualTypeOf<Refused>();
  });

  it('are inferred exactly by the decorators', () => {
    const declared = effect({ parameters: { mode: { type: 'choice', choices: ['a', 'b'] } } });
    expectTypeOf(declared<(_: { mode: 'a' | 'b' }) => void>).toBeFunction();
    // @ts-expect-error a method for another mode
    expectTypeOf(declared<(_: { mode: 'c' }) => void>).toBeFunction();
  });
});
