import { scmContract } from '../testing/contract.js';
import { githubHarness } from '../testing/github-contract.js';

scmContract(githubHarness('token'));
