/* A bundler gives a dynamically imported CommonJS package only a default export; this module exports the name itself. */
export { generate } from 'selfsigned';
