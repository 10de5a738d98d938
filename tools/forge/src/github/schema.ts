import type { components } from '@octokit/openapi-types';

/** The types of GitHub's REST API responses, from its OpenAPI description. */
export type Schemas = components['schemas'];
