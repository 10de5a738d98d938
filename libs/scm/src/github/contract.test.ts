import { scmContract } from '../testing/contract.js';
import { githubHarness } from '../testing/github-harness.js';

scmContract(githubHarness('app'));
scmContract(githubHarness('token'));
