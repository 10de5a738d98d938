export { crdFolder, generatedFiles } from './files.js';
