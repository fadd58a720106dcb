export { type DelivererOptions, WebhookDeliverer } from './webhook-deliverer.js';
export { WebhookSender } from './webhook-sender.js';
export { WebhooksController } from './webhooks.controller.js';
