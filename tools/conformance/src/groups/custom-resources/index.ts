import { defineGroup } from '../../suite/case.js';
import { applyRequestCases } from './apply-requests.js';
import { applyCases } from './apply.js';
import { collectionCases, watchListCases } from './collections.js';
import { compileCases } from './compile.js';
import { defaultingCases } from './defaulting.js';
import { definitionFieldCases } from './definition-fields.js';
import { definitionCases } from './definitions.js';
import { discoveryCases, openApiCases } from './discovery.js';
import { expressionCases } from './expressions.js';
import { formatCases } from './formats.js';
import { mergeTypeCases } from './merge-types.js';
import { objectValidationCases } from './object-validation.js';
import { objectCases } from './objects.js';
import { pruningCases } from './pruning.js';
import { ruleCases } from './rules.js';
import { schemaCases } from './schemas.js';
import { subresourceCases } from './subresources.js';
import { validationCases } from './validation.js';
import { terminatingCases, versionCases } from './versions.js';

const parts = [
  definitionCases,
  definitionFieldCases,
  schemaCases,
  mergeTypeCases,
  validationCases,
  formatCases,
  objectValidationCases,
  defaultingCases,
  pruningCases,
  ruleCases,
  expressionCases,
  compileCases,
  subresourceCases,
  applyCases,
  applyRequestCases,
  objectCases,
  collectionCases,
  versionCases,
  discoveryCases,
];

/** Features that the CustomResourceDefinition server alone does not offer. */
const partsOfWholeServer = [watchListCases, openApiCases, terminatingCases];

export const customResources = defineGroup(
  'custom-resources',
  {
    source:
      'https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/',
    needs: [],
  },
  (rule) => {
    for (const cases of parts) for (const [name, run] of Object.entries(cases)) rule(name, run);
    for (const cases of partsOfWholeServer) {
      for (const [name, run] of Object.entries(cases)) rule(name, run, 'core');
    }
  },
);
