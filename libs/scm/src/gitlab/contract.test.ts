import { scmContract } from '../testing/contract.js';
import { gitlabHarness } from '../testing/gitlab-contract.js';

scmContract(gitlabHarness());
