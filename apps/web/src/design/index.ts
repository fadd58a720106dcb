import './page.css';

export { Bar, Button, Choice, Dialog, Failure, Section, State, TextField } from './parts.js';
