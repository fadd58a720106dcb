import { MemoryBroker } from '../src/testing/index.js';
import { busContract } from './bus-contract.js';

busContract('memory', () => {
  const broker = new MemoryBroker();
  const outsider = broker.attach();
  return Promise.resolve({
    connect: (identity) => Promise.resolve(broker.connect(identity)),
    ask: (subject, data) =>
      new Promise((resolve) => {
        const reply = `${outsider.inbox}.reply`;
        const subscription = outsider.subscribe(reply, (message) => {
          resolve(message.data);
          void subscription.drain();
        });
        outsider.publish(subject, data, reply);
      }),
    tell: (subject, data) => {
      outsider.publish(subject, data);
      return Promise.resolve();
    },
    stop: () => Promise.resolve(broker.stop()),
    start: () => Promise.resolve(broker.start()),
    dispose: () => outsider.close(),
  });
});
