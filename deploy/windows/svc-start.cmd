@echo off
rem Everything on one PC with Windows. svc-task.xml starts it; by hand, it runs until Ctrl-C.
rem C:\svc is a clone of this repository, made ready with: node tools\bootstrap.mjs
set "SVC_DATA_DIR=C:\ProgramData\svc"
set "SVC_USER_DIR=C:\ProgramData\lab-packages"
set "SVC_NATS_SERVER_BIN=C:\svc\nats-server.exe"
cd /d "%SVC_DATA_DIR%"
"C:\Program Files\nodejs\node.exe" "C:\svc\apps\cli\bin\svc.mjs" start >>"%SVC_DATA_DIR%\svc-start.log" 2>&1
