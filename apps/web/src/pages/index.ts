export { AttentionItem, AttentionList } from './attention.js';
export { Missing } from './missing.js';
export { Now } from './now.js';
export { SignIn } from './sign-in.js';
