import { scmContract } from '../testing/contract.js';
import { giteaHarness } from '../testing/gitea-contract.js';

scmContract(giteaHarness('forgejo'));
