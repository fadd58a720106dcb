export { AttentionItem, AttentionList } from './attention.js';
export { Devices } from './devices.js';
export { Missing } from './missing.js';
export { Now } from './now.js';
export { Campaign, Run } from './work.js';
export { SignIn } from './sign-in.js';
