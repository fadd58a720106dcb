// Asks the gateway in this container whether it works. The question stays on this computer, so the certificate is not checked.
import { request as http } from 'node:http';
import { request as https } from 'node:https';

const { SVC_HTTP_PORT: port = '8070', SVC_HTTPS_CERTIFICATE: certificate } = process.env;
const ask = certificate ? https : http;
ask({ host: '127.0.0.1', port, path: '/health/live', timeout: 3_000, rejectUnauthorized: false })
  .on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1))
  .end();
