@echo off
rem Starts the agent with the Node of this package.
setlocal
set "SVC_AGENT_LAUNCHER=%~f0"
"%~dp0runtime\node.exe" --max-semi-space-size=2 "%~dp0app\dist\bundle\svc-agent.js" %*
