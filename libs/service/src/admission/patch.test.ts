import { expect, test } from '@jest/globals';
import fastJsonPatch from 'fast-json-patch';
import fc from 'fast-check';
import { annotationPatch } from './patch.js';

const key = fc.stringMatching(/^[a-z~/.]{1,6}$/);
const values = fc.dictionary(key, fc.string({ maxLength: 4 }), { maxKeys: 4 });

test('sets the desired annotations and leaves others unchanged', () => {
  fc.assert(
    fc.property(fc.option(values, { nil: undefined }), values, fc.array(key), (present, set, removed) => {
      const metadata = { name: 'x', ...(present && { annotations: { ...present } }) };
      const wanted: Record<string, string | undefined> = { ...set };
      for (const name of removed) if (!(name in set)) wanted[name] = undefined;
      const patch = annotationPatch({ apiVersion: 'v1', kind: 'X', metadata }, wanted);
      const patched = fastJsonPatch.applyPatch({ metadata: structuredClone(metadata) }, [...patch], true);
      const expected: Record<string, string | undefined> = { ...present, ...wanted };
      const left = Object.entries(expected).filter(([, value]) => value !== undefined);
      const { annotations = {} } = patched.newDocument.metadata as { annotations?: object };
      expect(annotations).toEqual(Object.fromEntries(left));
      const unchanged = annotationPatch({ apiVersion: 'v1', kind: 'X', metadata }, { ...present });
      expect(unchanged).toEqual([]);
    }),
  );
});
