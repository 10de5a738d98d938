/*
 * A bundled CommonJS package that is imported dynamically has only a default export, so this module exports the name.
 */
export { generate } from 'selfsigned';
