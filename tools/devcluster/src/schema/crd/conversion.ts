import { forbidden, invalid, notSupported, required } from '../field-error.js';
import { at, child } from '../path.js';
import type { Cause } from '../types.js';
import type { CrdConversion } from './model.js';
import { labelErrors } from './names.js';

const reviewVersions = ['v1', 'v1beta1'];

/** Checks the conversion between versions. */
export function checkConversion(conversion: CrdConversion, path: string): Cause[] {
  const { strategy = '', webhook } = conversion;
  const field = child(path, 'strategy');
  if (strategy === '') return [required(field)];
  if (strategy !== 'None' && strategy !== 'Webhook')
    return [notSupported(field, strategy, ['None', 'Webhook'])];
  const configField = child(path, 'webhookClientConfig');
  const versionsField = child(path, 'conversionReviewVersions');
  const config = webhook?.clientConfig;
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy === 'None') {
    const detail = 'should not be set when strategy is not set to Webhook';
    return [
      ...(config === undefined ? [] : [forbidden(configField, detail)]),
      ...(versions.length === 0 ? [] : [forbidden(versionsField, detail)]),
    ];
  }
  const causes: Cause[] = [];
  if (config === undefined) causes.push(required(configField, 'required when strategy is set to Webhook'));
  else if ((config.url === undefined) === (config.service === undefined)) {
    causes.push(required(configField, 'exactly one of url or service is required'));
  }
  return [...causes, ...checkReviewVersions(versions, versionsField)];
}

function checkReviewVersions(versions: readonly string[], path: string): Cause[] {
  if (versions.length === 0) return [required(path)];
  const causes = versions.flatMap((version, index) => {
    const field = at(path, index);
    if (versions.indexOf(version) < index) return [invalid(field, version, 'duplicate version')];
    return labelErrors(version).map((error) => invalid(field, version, error));
  });
  if (!versions.some((version) => reviewVersions.includes(version))) {
    causes.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
  return causes;
}
