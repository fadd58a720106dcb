import { connectAsync, type MqttClient } from 'mqtt';

/** A water bath behind a broker, which answers requests and keeps its state in retained messages. */
export class Bath {
  readonly commands: { topic: string; payload: string; qos: number }[] = [];
  /** False: it takes requests and does not answer them. */
  answers = true;
  #client: MqttClient | null = null;

  async start(
    port: number,
    options: { user?: string; password?: string; serial?: string } = {},
  ): Promise<this> {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
      protocolVersion: 5,
      ...(options.user === undefined ? {} : { username: options.user, password: options.password ?? '' }),
      will: { topic: 'bath/online', payload: Buffer.from('no'), qos: 1, retain: true },
    });
    this.#client = client;
    client.on('message', (topic, payload, { qos, properties }) => {
      const text = payload.toString();
      this.commands.push({ topic, payload: text, qos });
      if (topic === 'bath/do/circulate') {
        void this.tell('phase', 'circulating').then(() =>
          this.tell('phase', text === 'dry' ? 'dry' : 'mixed'),
        );
      }
      if (properties?.responseTopic === undefined || !this.answers) return;
      const litres = (JSON.parse(text) as { litres: number }).litres;
      const answer = litres > 4 ? { ok: false, error: 'it would overflow' } : { ok: true, level: litres };
      client.publish(properties.responseTopic, JSON.stringify(answer), {
        qos: 1,
        properties: { correlationData: properties.correlationData ?? Buffer.alloc(0) },
      });
    });
    await client.subscribeAsync('bath/do/#', { qos: 2 });
    await client.subscribeAsync('bath/set/#', { qos: 2 });
    await this.tell('serial', JSON.stringify({ serial: options.serial ?? 'WB-7' }));
    await this.tell('temperature', JSON.stringify({ celsius: 21.5 }));
    await this.tell('online', 'yes');
    return this;
  }

  async tell(what: string, payload: string): Promise<void> {
    await this.#client?.publishAsync(`bath/${what}`, payload, { qos: 1, retain: true });
  }

  /** @param suddenly as when the power fails: its last will is published */
  async stop(suddenly = false): Promise<void> {
    const client = this.#client;
    this.#client = null;
    if (suddenly) client?.stream.destroy();
    await client?.endAsync(true);
  }
}
