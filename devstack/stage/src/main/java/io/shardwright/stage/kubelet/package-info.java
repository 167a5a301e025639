/** The one node of the stage: pods bound to real processes, tokens and mounted files kept fresh. */
package io.shardwright.stage.kubelet;
