import './page.css';

export { Bar, Button, Choice, Dialog, Section, State, TextField, type ButtonLook } from './parts.js';
