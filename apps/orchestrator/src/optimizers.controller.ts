import { Controller } from '@nestjs/common';
import { orchestratorRequests as requests, type ReplyOf, type RequestOf } from '@lab/contracts';
import { Engine } from '@lab/engine';
import { Handles } from '@lab/messaging/nest';

/** What people ask of the optimizers of campaigns. What changes something is answered after the commit. */
@Controller()
export class OptimizersController {
  constructor(private readonly engine: Engine) {}

  @Handles(requests.configureOptimizer)
  configure({
    name,
    by,
    runtime_params: params,
  }: RequestOf<typeof requests.configureOptimizer>): Promise<ReplyOf<typeof requests.configureOptimizer>> {
    return this.engine.optimizers.configure(name, by, params);
  }

  @Handles(requests.addInsight)
  addInsight({
    name,
    by,
    text,
  }: RequestOf<typeof requests.addInsight>): Promise<ReplyOf<typeof requests.addInsight>> {
    return this.engine.optimizers.addInsight(name, by, text);
  }

  @Handles(requests.readOptimizer)
  read({
    name,
    explain,
  }: RequestOf<typeof requests.readOptimizer>): Promise<ReplyOf<typeof requests.readOptimizer>> {
    return this.engine.optimizers.read(name, explain);
  }

  @Handles(requests.readOptimizerDefaults)
  defaults({
    protocol,
    optimizer_ip: address,
  }: RequestOf<typeof requests.readOptimizerDefaults>): Promise<
    ReplyOf<typeof requests.readOptimizerDefaults>
  > {
    return this.engine.optimizers.defaults(protocol, address);
  }
}
