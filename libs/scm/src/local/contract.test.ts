import { scmContract } from '../testing/contract.js';
import { localHarness } from '../testing/local-contract.js';

scmContract(localHarness());
