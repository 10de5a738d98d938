export { semanticEqual } from '@interlock/base';
