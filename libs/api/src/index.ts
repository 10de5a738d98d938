export * from './errors.js';
export * from './object.js';
