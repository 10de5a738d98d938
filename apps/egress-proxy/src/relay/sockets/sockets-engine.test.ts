import { describeRelay } from '../../testing/relay-contract.js';
import { socketsEngine } from './sockets-engine.js';

describeRelay(socketsEngine);
