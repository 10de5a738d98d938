import { describeRelay } from '../testing/relay-contract.js';
import { socketsRelay } from './sockets.js';

describeRelay(socketsRelay);
