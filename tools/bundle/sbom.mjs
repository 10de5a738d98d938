/** Single SPDX identifiers; anything else is an expression (CycloneDX 1.6, "licenses"). */
const identifier = /^[A-Za-z0-9.+-]+$/;

/**
 * Returns the software bill of materials of a program (CycloneDX 1.6): the program, and the packages in its bundle. It
 * contains neither a time nor a random serial number, so it is reproducible.
 */
export function sbomOf({ name, version, license }, packages) {
  const subject = `pkg:generic/${name}@${version}`;
  const components = packages.map(componentOf);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': subject,
        name,
        version,
        licenses: [{ license: { id: license } }],
        purl: subject,
      },
    },
    components,
    dependencies: [{ ref: subject, dependsOn: components.map((component) => component['bom-ref']) }],
  };
}

function componentOf({ name, version, license }) {
  const [scope, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${scope === undefined ? '' : `%40${scope.slice(1)}/`}${short}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    ...(scope !== undefined && { group: scope }),
    name: short,
    version,
    licenses: [identifier.test(license) ? { license: { id: license } } : { expression: license }],
    purl,
  };
}
