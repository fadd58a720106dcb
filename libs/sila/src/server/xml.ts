/** Pieces of feature definitions as XML. */

export interface XmlPart {
  identifier: string;
  name: string;
  description: string;
}

/** @param attributes of the feature, without the fixed ones @param parts the rest of the definition */
export function featureXml(
  { identifier, name, description }: XmlPart,
  attributes: { originator: string; category: string; version: string },
  parts: readonly string[],
): string {
  const { originator, category, version } = attributes;
  return `<?xml version="1.0" encoding="utf-8"?>
<Feature Locale="en" SiLA2Version="1.1" FeatureVersion="${version}" MaturityLevel="Draft" Originator="${originator}"
  Category="${category}" xmlns="http://www.sila-standard.org" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.sila-standard.org https://gitlab.com/SiLA2/sila_base/raw/master/schema/FeatureDefinition.xsd">
${described({ identifier, name, description })}
${parts.join('\n')}
</Feature>
`;
}

export function commandXml(
  part: XmlPart,
  observable: boolean,
  parameters: readonly string[],
  responses: readonly string[],
  errors: readonly string[] = [],
): string {
  const declared =
    errors.length === 0
      ? ''
      : `<DefinedExecutionErrors>${errors.map((each) => `<Identifier>${each}</Identifier>`).join('')}</DefinedExecutionErrors>`;
  return `<Command>${described(part)}<Observable>${observable ? 'Yes' : 'No'}</Observable>
${parameters.map((each) => `<Parameter>${each}</Parameter>`).join('\n')}
${responses.map((each) => `<Response>${each}</Response>`).join('\n')}
${declared}</Command>`;
}

export function propertyXml(part: XmlPart, observable: boolean, type: string): string {
  return `<Property>${described(part)}<Observable>${observable ? 'Yes' : 'No'}</Observable>${dataTypeXml(type)}</Property>`;
}

export function metadataXml(part: XmlPart, type: string, errors: readonly string[]): string {
  const declared = errors.map((each) => `<Identifier>${each}</Identifier>`).join('');
  return `<Metadata>${described(part)}${dataTypeXml(type)}<DefinedExecutionErrors>${declared}</DefinedExecutionErrors></Metadata>`;
}

export function errorXml(part: XmlPart): string {
  return `<DefinedExecutionError>${described(part)}</DefinedExecutionError>`;
}

/** A parameter or a response, without its tag. @param type as in `<Basic>String</Basic>` */
export function elementXml(part: XmlPart, type: string): string {
  return `${described(part)}${dataTypeXml(type)}`;
}

export function basicXml(name: string): string {
  return `<Basic>${name}</Basic>`;
}

export function constrainedXml(type: string, constraints: string): string {
  return `<Constrained>${dataTypeXml(type)}<Constraints>${constraints}</Constraints></Constrained>`;
}

export function listXml(type: string): string {
  return `<List>${dataTypeXml(type)}</List>`;
}

export function escapeXml(text: string): string {
  // Characters that XML cannot have at all are left out.
  const legal = text.replace(/[^\t\n\r -\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '');
  return legal.replace(/[&<>]/g, (each) => (each === '&' ? '&amp;' : each === '<' ? '&lt;' : '&gt;'));
}

function dataTypeXml(type: string): string {
  return `<DataType>${type}</DataType>`;
}

function described({ identifier, name, description }: XmlPart): string {
  return `<Identifier>${identifier}</Identifier><DisplayName>${escapeXml(name)}</DisplayName><Description>${escapeXml(description)}</Description>`;
}
