export { PipelineIssuers } from './pipeline-issuers.js';
export { tokenExchangePath, TokenExchangeController } from './token-exchange.controller.js';
