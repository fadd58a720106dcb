import { readFeature } from './read-feature.js';

/**
 * The feature that every SiLA server has. A client needs it before it can ask for the definition of any other feature.
 */
export const silaServiceXml = `<?xml version="1.0" encoding="utf-8"?>
<Feature Locale="en" SiLA2Version="1.1" FeatureVersion="1.0" MaturityLevel="Normative" Originator="org.silastandard"
  Category="core" xmlns="http://www.sila-standard.org" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.sila-standard.org https://gitlab.com/SiLA2/sila_base/raw/master/schema/FeatureDefinition.xsd">
  <Identifier>SiLAService</Identifier>
  <DisplayName>SiLA Service</DisplayName>
  <Description>Describes a SiLA server: its identity and its features.</Description>
  <Command>
    <Identifier>GetFeatureDefinition</Identifier>
    <DisplayName>Get Feature Definition</DisplayName>
    <Description>Returns the definition of a feature of this server.</Description>
    <Observable>No</Observable>
    <Parameter>
      <Identifier>FeatureIdentifier</Identifier>
      <DisplayName>Feature Identifier</DisplayName>
      <Description>The fully qualified identifier of the feature.</Description>
      <DataType><Constrained><DataType><Basic>String</Basic></DataType><Constraints>
        <FullyQualifiedIdentifier>FeatureIdentifier</FullyQualifiedIdentifier></Constraints></Constrained></DataType>
    </Parameter>
    <Response>
      <Identifier>FeatureDefinition</Identifier>
      <DisplayName>Feature Definition</DisplayName>
      <Description>The definition as XML.</Description>
      <DataType><Basic>String</Basic></DataType>
    </Response>
    <DefinedExecutionErrors><Identifier>UnimplementedFeature</Identifier></DefinedExecutionErrors>
  </Command>
  <Command>
    <Identifier>SetServerName</Identifier>
    <DisplayName>Set Server Name</DisplayName>
    <Description>Sets the name that people see.</Description>
    <Observable>No</Observable>
    <Parameter>
      <Identifier>ServerName</Identifier>
      <DisplayName>Server Name</DisplayName>
      <Description>The new name.</Description>
      <DataType><Constrained><DataType><Basic>String</Basic></DataType><Constraints>
        <MaximalLength>255</MaximalLength></Constraints></Constrained></DataType>
    </Parameter>
  </Command>
${[
  ['ServerName', 'Server Name', 'The name that people see.', ''],
  ['ServerType', 'Server Type', 'The type of the server.', '<Pattern>[A-Z][a-zA-Z0-9]*</Pattern>'],
  ['ServerUUID', 'Server UUID', 'Identifies this server for ever.', '<Length>36</Length>'],
  ['ServerDescription', 'Server Description', 'What the server is for.', ''],
  ['ServerVersion', 'Server Version', 'The version of its program.', ''],
  ['ServerVendorURL', 'Server Vendor URL', 'The address of its vendor.', ''],
]
  .map(([identifier, name, description, constraints]) =>
    property(identifier ?? '', name ?? '', description ?? '', stringType(constraints ?? '')),
  )
  .join('\n')}
${property(
  'ImplementedFeatures',
  'Implemented Features',
  'The fully qualified identifiers of the features of this server.',
  `<List>${wrapped(
    stringType('<FullyQualifiedIdentifier>FeatureIdentifier</FullyQualifiedIdentifier>'),
  )}</List>`,
)}
  <DefinedExecutionError>
    <Identifier>UnimplementedFeature</Identifier>
    <DisplayName>Unimplemented Feature</DisplayName>
    <Description>The server does not have this feature.</Description>
  </DefinedExecutionError>
</Feature>`;

export const silaService = readFeature(silaServiceXml);

function property(identifier: string, name: string, description: string, type: string): string {
  return `  <Property>
    <Identifier>${identifier}</Identifier>
    <DisplayName>${name}</DisplayName>
    <Description>${description}</Description>
    <Observable>No</Observable>
    ${wrapped(type)}
  </Property>`;
}

function stringType(constraints: string): string {
  const basic = '<Basic>String</Basic>';
  return constraints === ''
    ? basic
    : `<Constrained>${wrapped(basic)}<Constraints>${constraints}</Constraints></Constrained>`;
}

function wrapped(type: string): string {
  return `<DataType>${type}</DataType>`;
}
