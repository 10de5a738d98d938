import { TypedError, isTyped } from '@interlock/api';
import { truncate } from '@interlock/base';
import { originOf } from '../http/endpoint.js';
import { JsonApi } from '../http/json-api.js';
import { allPages } from '../http/pages.js';
import { parseObject } from '../http/payload.js';
import { digestOf, readSecretKey, readToken } from '../http/secret.js';
import { readableUrl } from '../http/text.js';
import { Section } from '../section.js';

/** The helpers of the built-in plugins that loaded plugins may use. */
export const scmToolkit = {
  TypedError,
  isTyped,
  Section,
  JsonApi,
  allPages,
  originOf,
  digestOf,
  readSecretKey,
  readToken,
  parseObject,
  readableUrl,
  truncate,
} as const;

export type ScmToolkit = typeof scmToolkit;
