import './page.css';

export { Bar, Button, Dialog, Section, State, type ButtonLook } from './parts.js';
