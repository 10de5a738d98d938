import { describeRelay } from '../../testing/relay-contract.js';
import { handlesEngine } from './handles-engine.js';

describeRelay(handlesEngine());
