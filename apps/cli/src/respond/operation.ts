import type { Operation } from '@interlock/responding';

/** Returns an operation as one line. */
export function operationText(operation: Operation): string {
  const { op, path = 'the file of the subject' } = operation;
  if (operation.op === 'file.write' || operation.op === 'file.delete') return `${op} ${path}`;
  const { apiVersion, kind, namespace, name } = operation.select ?? {};
  const object = [kind ?? apiVersion, [namespace, name].filter(Boolean).join('/')].filter(Boolean).join(' ');
  const where = `${path}${object === '' ? '' : `, ${object}`}`;
  if (operation.op === 'yaml.deleteDocument') return `${op} ${where}`;
  if (operation.op === 'yaml.patch') {
    const { patch } = operation;
    const what =
      patch.type === 'merge'
        ? `merge ${Object.keys(patch.value).join(', ')}`
        : patch.operations.map((one) => `${one.op} ${one.path}`).join(', ');
    return `${op} ${where}: ${what}`;
  }
  const { image, newName = image, newTag, digest, container } = operation;
  const target = `${newName}${newTag === undefined ? '' : `:${newTag}`}${digest === undefined ? '' : `@${digest}`}`;
  return `${op} ${where}: ${image} → ${target}${container === undefined ? '' : ` in container ${container}`}`;
}
