/** The operator on the stage: the shipped manifests installed, the shipped jar as a process. */
package io.shardwright.stage.operator;
