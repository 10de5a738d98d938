/* Bundlers give a CommonJS package that is imported dynamically only a default; this module has the name itself. */
export { generate } from 'selfsigned';
