import { describe, expectTypeOf, it } from 'vitest';
import {
  BaseDevice,
  BaseTask,
  type Handle,
  type JsonObject,
  type Resource,
  type TaskResult,
} from '../index.js';

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

  it('returns exactly three things', () => {
    expectTypeOf<[object, Record<string, never>]>().not.toExtend<TaskResult>();
    expectTypeOf<[{ a: number }, Record<string, never>, { f: Buffer }]>().toExtend<TaskResult>();
    expectTypeOf<[{ a: number }, Record<string, never>, { f: number }]>().not.toExtend<TaskResult>();
  });
});
